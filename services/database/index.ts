export * as tables from './tables.js'
export { openDatabase, assertSqliteVersion, minimumSqlite, type Database, type OpenOptions } from './database.js'
export { isDiskTrouble, type Writer } from './writer.js'
export { lockStateFolder, StateFolderInUse } from './lock.js'
