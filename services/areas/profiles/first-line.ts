import { statSync, type BigIntStats } from 'node:fs'
import { identityOf, isSettled } from '../../ground/files/file-identity.js'
import { readHomeFile } from '../../ground/home/home-file.js'

/**
 * Returns a function that reads the first line of a file, trimmed; undefined if it cannot be read, as with a pipe or a loop of links. It
 * checks the file's status, and reads the file again unless it is the same (inode, size, times) and has been so for a while. That costs so
 * little that no interval is needed, and no watch, which network folders do not have. The calls of one pass of the event loop share a
 * check, which is an eighth of a small request, so a change of the file is seen a pass later.
 */
export function firstLineOf (path: string): () => string | undefined {
  let known: { identity: string, line: string | undefined } | null = null
  let inThisPass: { line: string | undefined } | null = null

  function read (): string | undefined {
    const stats = lookAt(path)
    if (stats === undefined) {
      known = null
      return undefined
    }
    const identity = identityOf(stats)
    if (known?.identity === identity) return known.line
    const found = readHomeFile(path)
    const line = found !== undefined && 'text' in found ? found.text.split('\n', 1).join('').trim() : undefined
    known = line !== undefined && isSettled(stats) ? { identity, line } : null
    return line
  }

  return () => {
    if (inThisPass === null) {
      inThisPass = { line: read() }
      setImmediate(() => { inThisPass = null })
    }
    return inThisPass.line
  }
}

function lookAt (path: string): BigIntStats | undefined {
  try {
    // Usually the file does not exist: an error costs ten times as much as the check.
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
