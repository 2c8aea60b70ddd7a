export { createBackups, type Backups, type BackupStatus, type CheckStatus } from './backups.js'
export { backupWarning } from './warning.js'
export { makeBackup, type BackupOrder } from './backup.js'
export { restoreBackup, type Restored, type RestoreOrder } from './restore.js'
