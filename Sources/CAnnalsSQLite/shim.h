#ifndef ANNALS_CSQLITE_SHIM_H
#define ANNALS_CSQLITE_SHIM_H
#include <sqlite3.h>

// Swift imports the C library of Linux without _GNU_SOURCE, so it doesn't see this function and its mode. The type off_t
// is long. Its header would belong to this module, and then other modules could not use timeval without this module.
#ifdef __linux__
int fallocate(int descriptor, int mode, long offset, long length);
static const int ANNALS_FALLOC_FL_KEEP_SIZE = 0x01;
#endif

// SQLite's destructor constants are casts that Swift's importer leaves out.
static const sqlite3_destructor_type ANNALS_SQLITE_STATIC = ((sqlite3_destructor_type)0);
static const sqlite3_destructor_type ANNALS_SQLITE_TRANSIENT = ((sqlite3_destructor_type)-1);

// Swift calls no function that takes a list of arguments of any length.
static inline int annals_sqlite_configure(sqlite3 *handle, int option, int on) {
  return sqlite3_db_config(handle, option, on, (int *)0);
}

#endif
