/* The directives init, set and shutdown do what the routines of such names do. */
#include "check.h"

int main(void)
{
  float a[100] = {0};
  int yes = failures + 1;
#pragma acc init
#pragma acc init device_type(host, acc_device_not_host) device_num(0) if(yes)

#pragma acc set default_async(yes + 2)
  CHECK(acc_get_default_async() == 3);
#pragma acc set default_async(acc_async_default) if(!yes)
  CHECK(acc_get_default_async() == 3);

#pragma acc enter data copyin(a)
  CHECK(acc_is_present(a, sizeof a));
#pragma acc shutdown if(!yes)
  CHECK(acc_is_present(a, sizeof a));
#pragma acc shutdown
  CHECK(acc_is_present(a, sizeof a) == in_place());
#pragma acc enter data copyin(a)
#pragma acc shutdown device_type(cpu, gpu) device_num(0)
  CHECK(acc_is_present(a, sizeof a) == in_place());

#pragma acc set device_type(host) default_async(5)
  CHECK(acc_get_device_type() == acc_device_host);
  CHECK(acc_get_default_async() == 5);
#pragma acc set device_type(multicore) device_num(yes)
  CHECK(acc_get_device_num(acc_device_cpu) == 1);
#pragma acc set device_num(yes - 4)
  CHECK(acc_get_device_num(acc_device_cpu) == 0);
  CHECK(acc_get_device_type() == acc_device_cpu);
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 100; i++)
    a[i] = (float)i;
  CHECK(a[99] == 99);
  return failures != 0;
}
