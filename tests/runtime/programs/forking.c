/* forking [present]: a child made by fork runs the region on the host; the parent goes on with its device. */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  (void)argv;
  float x[8], y[8];
  fill(x, 8, 1, 0);
  fill(y, 8, 0, 1);
  if (argc > 1) data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, 8);
  int first = axpy(1, x, y, 0, 8);
  pid_t child = fork();
  if (child == 0) {
    int ran = axpy(1, x, y, 0, 8);
    _exit(10 * ran + (y[3] == 5 ? 0 : 1));
  }
  int status = 0;
  waitpid(child, &status, 0);
  int second = axpy(1, x, y, 0, 8);
  if (argc > 1) data_op(ACCSHARE_EXIT, 0, ACCSHARE_COPYOUT, y, 0, 8);
  printf("parent=%d %g child=%d\n", first + second, y[3], WEXITSTATUS(status));
  return 0;
}
