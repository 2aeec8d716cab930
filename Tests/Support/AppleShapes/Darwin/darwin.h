// Declarations of Apple's C library that this package uses, with the types that Apple's headers give them. They let
// `.ci/apple-shape` check the branches for Apple's systems on Linux. Nothing is linked with them.
#pragma once

typedef unsigned short mode_t;
typedef int dev_t;
typedef unsigned long long ino_t;
typedef unsigned short nlink_t;
typedef long long off_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef long time_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef unsigned int nfds_t;
typedef unsigned int sigset_t;
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned int useconds_t;

// Files.
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; int tv_usec; };
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
  long long st_blocks;
  int st_blksize;
};
int stat(const char *, struct stat *);
int fstat(int, struct stat *);
int lstat(const char *, struct stat *);
int close(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
off_t lseek(int, off_t, int);
int ftruncate(int, off_t);
int truncate(const char *, off_t);
int fsync(int);
int access(const char *, int);
int link(const char *, const char *);
int unlink(const char *);
int rename(const char *, const char *);
int renamex_np(const char *, const char *, unsigned int);
int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int chown(const char *, uid_t, gid_t);
int fchown(int, uid_t, gid_t);
int mkdir(const char *, mode_t);
int rmdir(const char *);
int mkfifo(const char *, mode_t);
int symlink(const char *, const char *);
ssize_t readlink(const char *, char *, size_t);
char *realpath(const char *, char *);
char *getcwd(char *, size_t);
int chdir(const char *);
mode_t umask(mode_t);
int pipe(int[2]);
int dup(int);
int dup2(int, int);
int isatty(int);
int flock(int, int);
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
struct flock { off_t l_start; off_t l_len; pid_t l_pid; short l_type; short l_whence; };
#define F_SETFD 2
#define F_GETFD 1
#define F_GETFL 3
#define F_SETFL 4
#define F_GETLK 7
#define F_SETLK 8
#define F_SETLKW 9
#define F_PREALLOCATE 42
typedef struct fstore {
  unsigned int fst_flags; int fst_posmode; off_t fst_offset; off_t fst_length; off_t fst_bytesalloc;
} fstore_t;
#define F_ALLOCATEALL 0x00000004
#define F_PEOFPOSMODE 3
#define F_FULLFSYNC 51
#define F_BARRIERFSYNC 85
#define F_SETNOSIGPIPE 73
#define F_UNLCK 2
#define F_RDLCK 1
#define F_WRLCK 3
#define FD_CLOEXEC 1
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_APPEND 0x0008
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_TRUNC 0x0400
#define O_EXCL 0x0800
#define O_EVTONLY 0x8000
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_END 2
#define RENAME_EXCL 0x4
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define PATH_MAX 1024

// Processes and signals.
pid_t getpid(void);
pid_t getppid(void);
pid_t getpgrp(void);
uid_t getuid(void);
uid_t geteuid(void);
pid_t tcgetpgrp(int);
int setuid(uid_t);
int setgid(gid_t);
int kill(pid_t, int);
pid_t waitpid(pid_t, int *, int);
unsigned int alarm(unsigned int);
unsigned int sleep(unsigned int);
int usleep(useconds_t);
int pause(void);
int sched_yield(void);
void exit(int) __attribute__((noreturn));
void _exit(int) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
int atexit(void (*)(void));
void (*signal(int, void (*)(int)))(int);
int raise(int);
int sigemptyset(sigset_t *);
int sigaddset(sigset_t *, int);
typedef struct _opaque_pthread_t *pthread_t;
struct _opaque_pthread_t { long sig; };
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int pthread_kill(pthread_t, int);
pthread_t pthread_self(void);
typedef void *posix_spawn_file_actions_t;
typedef void *posix_spawnattr_t;
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *, int, const char *, int, mode_t);
char ***_NSGetEnviron(void);
int posix_spawn(
    pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
    char *const __argv[], char *const __envp[]);
struct rlimit { unsigned long long rlim_cur; unsigned long long rlim_max; };
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
#define RLIMIT_FSIZE 1
#define RLIMIT_STACK 3
#define RLIMIT_NOFILE 8
struct rusage {
  struct timeval ru_utime;
  struct timeval ru_stime;
  long ru_maxrss;
  long ru_ixrss;
  long ru_idrss;
  long ru_isrss;
  long ru_minflt;
  long ru_majflt;
  long ru_nswap;
  long ru_inblock;
  long ru_oublock;
  long ru_msgsnd;
  long ru_msgrcv;
  long ru_nsignals;
  long ru_nvcsw;
  long ru_nivcsw;
};
int getrusage(int, struct rusage *);
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN -1
#define WNOHANG 1
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGWINCH 28
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3

// Terminals.
struct winsize { unsigned short ws_row; unsigned short ws_col; unsigned short ws_xpixel; unsigned short ws_ypixel; };
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_cc[20];
  unsigned long c_ispeed;
  unsigned long c_ospeed;
};
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);
void cfmakeraw(struct termios *);
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define ISIG 0x00000080
#define VMIN 16
#define VTIME 17
#define TIOCGWINSZ 0x40087468

// Waiting.
struct pollfd { int fd; short events; short revents; };
int poll(struct pollfd *, nfds_t, int);
#define POLLIN 0x0001
#define POLLOUT 0x0004
#define POLLERR 0x0008
#define POLLHUP 0x0010
#define POLLNVAL 0x0020

// Memory, strings and the environment.
void free(void *);
void *malloc(size_t);
char *strdup(const char *);
char *strerror(int);
size_t strlen(const char *);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
char *getenv(const char *);
int setenv(const char *, const char *, int);
int unsetenv(const char *);
double pow(double, double);
double log(double);
double sqrt(double);
typedef struct __sFILE { int _file; } FILE;
extern FILE *__stdoutp;
extern FILE *__stderrp;
extern FILE *__stdinp;
#define stdin __stdinp
#define stdout __stdoutp
#define stderr __stderrp
int fflush(FILE *);
int fputs(const char *, FILE *);
int setvbuf(FILE *, char *, int, size_t);
int *__error(void);

// Clocks.
typedef enum { _CLOCK_REALTIME = 0, _CLOCK_MONOTONIC = 6, _CLOCK_PROCESS_CPUTIME_ID = 12,
               _CLOCK_THREAD_CPUTIME_ID = 16 } clockid_t;
int clock_gettime(clockid_t, struct timespec *);

// Libraries.
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
#define RTLD_NOW 0x2
#define RTLD_LOCAL 0x4
struct iovec { void *iov_base; size_t iov_len; };

// The memory of a process, from Mach.
typedef int integer_t;
typedef unsigned int natural_t;
typedef int kern_return_t;
typedef int policy_t;
typedef natural_t mach_port_t;
typedef natural_t mach_port_name_t;
typedef natural_t task_flavor_t;
typedef mach_port_t task_name_t;
typedef integer_t *task_info_t;
typedef natural_t mach_msg_type_number_t;
typedef unsigned long long mach_vm_size_t;
typedef struct time_value { integer_t seconds; integer_t microseconds; } time_value_t;
struct mach_task_basic_info {
  mach_vm_size_t virtual_size;
  mach_vm_size_t resident_size;
  mach_vm_size_t resident_size_max;
  time_value_t user_time;
  time_value_t system_time;
  policy_t policy;
  integer_t suspend_count;
};
extern mach_port_t mach_task_self_;
mach_port_name_t task_self_trap(void);
kern_return_t task_info(task_name_t, task_flavor_t, task_info_t, mach_msg_type_number_t *);
#define MACH_TASK_BASIC_INFO 20
#define KERN_SUCCESS 0

// Error numbers.
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define ENOEXEC 8
#define EBADF 9
#define ECHILD 10
#define EDEADLK 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define ENOTBLK 15
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define ETXTBSY 26
#define EFBIG 27
#define ENOSPC 28
#define ESPIPE 29
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define EAGAIN 35
#define EWOULDBLOCK 35
#define EINPROGRESS 36
#define EALREADY 37
#define ENOTSOCK 38
#define EMSGSIZE 40
#define ENOTSUP 45
#define EADDRINUSE 48
#define EADDRNOTAVAIL 49
#define ENETDOWN 50
#define ENETUNREACH 51
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOBUFS 55
#define EISCONN 56
#define ENOTCONN 57
#define ETIMEDOUT 60
#define ECONNREFUSED 61
#define ELOOP 62
#define ENAMETOOLONG 63
#define EHOSTDOWN 64
#define EHOSTUNREACH 65
#define ENOTEMPTY 66
#define EDQUOT 69
#define ESTALE 70
#define ENOLCK 77
#define ENOSYS 78
#define EOVERFLOW 84
#define ECANCELED 89
#define EOPNOTSUPP 102
