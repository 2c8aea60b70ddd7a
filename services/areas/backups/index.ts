export { createBackups, type Backups, type BackupStatus } from './backups.js'
export { backupWarning } from './warning.js'
export { makeBackup } from './backup.js'
export { removeStaging, restoreBackup } from './restore.js'
