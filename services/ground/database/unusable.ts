import { codeOf } from '../errors.js'
import { makeFoldersSync } from '../files/make-folders.js'
import { wrappedCode } from './trouble.js'

/** Thrown if the database or its folder cannot be used as it is. The message says in plain words what is wrong and what to do. */
export class UnusableDatabase extends Error {
  constructor (message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableDatabase'
  }
}

/** Thrown for a database that is damaged, or is none. `problem`: what is wrong, without the advice to restore a backup. */
export class DamagedDatabase extends UnusableDatabase {
  constructor (readonly problem: string, options?: ErrorOptions) {
    super(`${problem} Restore a backup: "Backup and restore" in docs/operations.md says how.`, options)
  }
}

/** What codes of SQLite mean for the database itself. Codes match by their beginning. */
const damages: typeof meanings = [
  [/^SQLITE_NOTADB/, (file) => `${file} is damaged, or is not a database of this service.`],
  [/^SQLITE_(CORRUPT|IOERR_SHORT_READ|IOERR_CORRUPTFS)/, (file) => `The database ${file} is damaged.`]
]

/** What other codes of SQLite or the file system mean to the person who starts the service. */
const meanings: Array<[codes: RegExp, words: (file: string) => string]> = [
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/, (file) =>
    `The disk of ${file} is full. Free some space, then try again.`],
  [/^SQLITE_(BUSY|LOCKED)/, (file) =>
    `Another program has locked the database ${file}, such as a database browser or a sqlite3 shell. Close it, then try again.`],
  [/^(SQLITE_READONLY|EROFS)/, (file) =>
    `${file} cannot be written: its file system or the file itself is read-only. Make it writable for the user of the service.`],
  [/^(SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH|EACCES|EPERM)/, (file) =>
    `${file} cannot be opened. The user of the service must be able to read and write it and its folder.`],
  [/^SQLITE_IOERR/, (file) => `The disk of ${file} reports errors. See the system's log (dmesg).`],
  [/^(ENOTDIR|EEXIST)/, (file) => `${file} cannot be used: there is a file where a folder should be.`],
  [/^ELOOP/, (file) => `${file} cannot be opened: it is a symbolic link that leads to itself.`]
]

/** Returns the error in plain words if its code says enough; null if it is a fault of the program. */
export function inPlainWords (error: unknown, file: string): UnusableDatabase | null {
  if (error instanceof UnusableDatabase) return error
  const code = wrappedCode(error)
  const damage = damages.find(([codes]) => codes.test(code))?.[1]
  if (damage !== undefined) return new DamagedDatabase(damage(file), { cause: error })
  const words = meanings.find(([codes]) => codes.test(code))?.[1]
  return words === undefined ? null : new UnusableDatabase(words(file), { cause: error })
}

/** Runs `work` and turns its errors into plain words where possible. */
export function explainingErrors<T> (file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw inPlainWords(error, file) ?? error
  }
}

/** Creates a folder of the service with those above it. Throws UnusableDatabase if it cannot be used. */
export function makeFolder (folder: string): void {
  explainingErrors(folder, () => {
    try {
      makeFoldersSync(folder, { mode: 0o700 })
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      throw new UnusableDatabase(
        `${folder} cannot be created: its path has a link that leads nowhere, or the file system there takes no folders. Mount a disk or volume there, or choose another folder.`,
        { cause: error })
    }
  })
}
