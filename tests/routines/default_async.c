/* The queue that stands for async without one. */
#include "check.h"

int main(void)
{
  const int first = acc_get_default_async();
  CHECK(first >= 0);
  acc_set_default_async(5);
  CHECK(acc_get_default_async() == 5);
  acc_set_default_async(acc_async_sync);
  CHECK(acc_get_default_async() == acc_async_sync);
  acc_set_default_async(acc_async_default);
  CHECK(acc_get_default_async() == first);
  acc_wait(first);
  CHECK(acc_async_test(first));
  return failures != 0;
}
