#ifndef ANNALS_CSQLITE_SHIM_H
#define ANNALS_CSQLITE_SHIM_H
#include <sqlite3.h>

// SQLite's destructor constants are casts that Swift's importer leaves out.
static const sqlite3_destructor_type ANNALS_SQLITE_STATIC = ((sqlite3_destructor_type)0);
static const sqlite3_destructor_type ANNALS_SQLITE_TRANSIENT = ((sqlite3_destructor_type)-1);

#endif
