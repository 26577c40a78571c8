/* Where a region runs, as it sees it itself and as the host does. */
#include "check.h"

enum { N = 12 };

static int helper(int x) { return x + acc_on_device(acc_device_not_host); }

int main(void)
{
  int found[N], at_end[8], type = acc_get_device_type();
  const int on = !is("host");
#pragma acc parallel loop copyout(found)
  for (int i = 0; i < N; i++)
    found[i] = acc_on_device(i % 9);
  CHECK(found[acc_device_host] == !on);
  CHECK(found[acc_device_not_host] == on);
  CHECK(found[type]);
  CHECK(found[acc_device_current] == 1);
  CHECK(found[acc_device_gpu] + found[acc_device_cpu] == on);
#pragma acc serial copyout(at_end)
  {
    at_end[0] = 0;
    if (acc_on_device(acc_device_host))
      at_end[0] = 1;
    at_end[1] = acc_on_device(acc_device_not_host) ? 5 : 6;
    at_end[2] = acc_on_device(type);
    at_end[3] = acc_on_device(acc_get_device_type());
    at_end[4] = helper(10);
  }
  CHECK(at_end[0] == !on);
  CHECK(at_end[1] == (on ? 5 : 6));
  CHECK(at_end[2] == 1 && at_end[3] == 1);
  CHECK(at_end[4] == 10 + on);
#pragma acc parallel loop copyout(found) if (type == acc_device_none)
  for (int i = 0; i < N; i++)
    found[i] = acc_on_device(i % 9);
  CHECK(found[acc_device_host] == 1 && found[acc_device_not_host] == 0);
  CHECK(acc_on_device(acc_device_host) == 1 && acc_on_device(acc_device_not_host) == 0);
  CHECK(acc_on_device((acc_device_t)type) == !on);
  return failures != 0;
}
