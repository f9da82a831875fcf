// Runs a command and prints its processor seconds and its largest memory in MiB: "1.23 456".
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const double seconds = double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         1e-6 * double(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  std::printf("%.2f %ld\n", seconds, used.ru_maxrss / 1024);
}
