import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Conflict, Invalid } from '../../../ground/errors.js'
import { inScratch } from '../../../ground/files/scratch.js'
import { otherOperation } from '../errors.js'
import { chosenChanges, eachChange, isStaged, type Change } from './changes.js'
import { refuseFiltered } from './filters.js'
import { refuseConflicts } from './index-edits.js'
import { chosenOf, fromInput, pathList } from './paths.js'
import { recordsOf } from './records.js'
import {
  attempt, change, emptyTree, folderOnly, fromFolder, headOf, listing, look, changing, refuseUnderWay, writing, type Repository
} from './repository.js'

const quietly = ['commit', '--quiet', '--cleanup=verbatim'] as const
/** Without it, `diff` goes by the time of a file alone. */
const comparing = ['diff.autoRefreshIndex=true']
const racePausesMs = [0, 50, 200]

/**
 * See GitEngine.commit. Concludes a merge, or a single cherry-pick or revert, when all conflicts are resolved. Throws
 * Invalid (`nothing_to_commit`, `identity_missing`), Conflict (`conflict`, `operation_in_progress`).
 */
export async function commit (folder: string, message: string): Promise<string> {
  const text = messageOf(message)
  return await changing(folder, async (repository) => {
    const concluded = await refuseUnderWay(repository, 'merge', 'cherry-pick', 'revert')
    const changes: Change[] = []
    await eachChange(repository, { untracked: false, wholeTree: true, renames: false }, (each) => { changes.push(each) })
    refuseConflicts(changes)
    const staged = changes.filter(isStaged)
    const elsewhere = staged.filter(({ path }) => fromFolder(repository, path) === null)
    if (staged.length === elsewhere.length && concluded !== 'merge') throw nothingToCommit('Nothing is staged here')
    if (elsewhere.length === 0) {
      return await conclude(repository, async () => {
        await change(repository, [...quietly, '--file=-'], { input: text })
      }, async () => await isNothingStaged(repository))
    }
    if (concluded !== null) {
      throw new Conflict(`A ${concluded} is in progress in this work tree and can only be committed as a whole`, 'operation_in_progress')
    }
    return await commitFolder(repository, text)
  })
}

/**
 * See GitEngine.commitSelected. The old path of a chosen renamed file is committed too. Throws Invalid
 * (`nothing_to_commit`, `identity_missing`, `filtered_path`), Conflict (`conflict`, `operation_in_progress`).
 */
export async function commitSelected (
  folder: string, message: string, paths: readonly string[]
): Promise<{ commit: string, paths: string[] }> {
  const text = messageOf(message)
  return await changing(folder, async (repository) => {
    const chosen = await chosenOf(repository, paths)
    // Paths of nested repositories end with `/`. They are not files, so they are skipped.
    const changes = (await chosenChanges(repository, chosen)).filter(({ path }) => !path.endsWith('/'))
    refuseConflicts(changes)
    await refuseUnderWay(repository)
    if (changes.length === 0) throw nothingToCommit('Nothing has changed in what was chosen')
    await refuseFiltered(repository, changes)
    const unreadable = changes.find(({ path, oldPath }) => `${path}${oldPath ?? ''}`.includes('\uFFFD'))
    if (unreadable !== undefined) {
      throw new Invalid(
        `The name ${unreadable.path} is not valid UTF-8, so it cannot be chosen here. Use git in a terminal`, 'git_failed'
      )
    }
    const files = [
      ...new Set(changes.flatMap(({ path, oldPath, inIndex }) => oldPath === null || inIndex === 'C' ? [path] : [path, oldPath]))
    ]
    const untracked = changes.filter(({ kind }) => kind === 'untracked').map(({ path }) => path)

    const sha = await inScratch('git', async (scratch) => {
      const file = join(scratch, 'message')
      await writeFile(file, text, { mode: 0o600 })
      // `commit --only` accepts only paths that the index has.
      if (untracked.length > 0) await change(repository, ['add', '--intent-to-add', ...fromInput], { input: pathList(untracked) })
      try {
        return await conclude(repository, async () => {
          await change(repository, [...quietly, `--file=${file}`, '--only', ...fromInput], { input: pathList(files) })
        }, async () => await areCommitted(repository, files))
      } catch (error) {
        await takeOut(repository, untracked).catch(() => {})
        throw error
      }
    })
    return { commit: sha, paths: files.flatMap((path) => fromFolder(repository, path) ?? []) }
  })
}

/** Tidies a message as git does, but keeps lines that begin with `#`. Throws Invalid for an empty one. */
function messageOf (message: string): string {
  if (message.includes('\0')) throw new Invalid('A message must not contain a null character')
  const text = message.replace(/\r\n?/g, '\n').replace(/(?<![^\S\n])[^\S\n]+$/gm, '').replace(/\n{3,}/g, '\n\n').replace(/^\n+|\n+$/g, '')
  if (text === '') throw new Invalid('The commit needs a message')
  return `${text}\n`
}

/** Runs the commit. If git refuses, `isNothingLeft` is checked: another process may have committed the same a moment before. */
async function conclude (repository: Repository, work: () => Promise<void>, isNothingLeft: () => Promise<boolean>): Promise<string> {
  const before = await headOf(repository)
  try {
    await work()
  } catch (error) {
    throw error instanceof Invalid && error.code === 'git_failed' && await isNothingLeft()
      ? nothingToCommit('There is nothing left to commit')
      : error
  }
  const after = await headOf(repository)
  if (after === null || after === before) {
    throw new Conflict('The commit was not found. Another git operation may be running', 'operation_in_progress')
  }
  return after
}

async function isNothingStaged (repository: Repository): Promise<boolean> {
  return (await attempt(repository, ['diff', '--cached', '--quiet'])).exitCode === 0
}

/** Whether files whose names are in the index are the same in the work tree as in HEAD. */
async function areCommitted (repository: Repository, files: readonly string[]): Promise<boolean> {
  const from = await headOf(repository) ?? await emptyTree(repository)
  const { stdout } = await look(repository, ['diff', '--name-only', '-z', '--no-renames', from, '--', ...folderOnly(repository)], {
    ...writing, settings: comparing
  })
  const different = new Set(recordsOf(stdout))
  return !files.some((path) => different.has(path))
}

/** Removes files from the index again. HEAD may still have them, since their deletion may have been staged. */
async function takeOut (repository: Repository, files: readonly string[]): Promise<void> {
  const { length } = await emptyTree(repository)
  if (files.length > 0) {
    await change(repository, ['update-index', '-z', '--index-info'], {
      input: files.map((path) => `0 ${'0'.repeat(length)}\t${path}\0`).join('')
    })
  }
}

/**
 * Commits what is staged in the folder, without what is staged elsewhere: builds a tree from HEAD and the folder's part of the index, and
 * moves the branch only if it is still where it was.
 */
async function commitFolder (repository: Repository, text: string): Promise<string> {
  return await inScratch('git', async (scratch) => {
    const environment = { GIT_INDEX_FILE: join(scratch, 'index') }
    for (const pauseMs of racePausesMs) {
      await delay(pauseMs)
      const parent = await headOf(repository)
      await change(repository, ['read-tree', parent ?? await emptyTree(repository)], { environment })
      await change(repository, ['update-index', '-z', '--index-info'], { environment, input: await folderEntries(repository, environment) })
      const tree = (await change(repository, ['write-tree'], { environment })).stdout.toString().trim()
      const sha = (await change(repository, ['commit-tree', ...parent === null ? [] : ['-p', parent], tree], {
        input: text
      })).stdout.toString().trim()
      const subject = text.slice(0, text.indexOf('\n'))
      // An old value of zeros means that the ref must not exist yet.
      const moved = await attempt(
        repository, ['update-ref', '-m', `commit: ${subject}`, 'HEAD', sha, parent ?? '0'.repeat(sha.length)], writing
      )
      if (moved.exitCode === 0) return sha
    }
    throw otherOperation()
  })
}

/**
 * Returns the input for `update-index --index-info` that replaces the folder in the other index by what is staged. Intents to add are
 * left out, because no tree contains them.
 */
async function folderEntries (repository: Repository, environment: Record<string, string>): Promise<string> {
  const whole = (await change(repository, ['write-tree', '--missing-ok'])).stdout.toString().trim()
  const [staged, committed] = await Promise.all([
    look(repository, ['ls-tree', '-r', '-z', '--full-tree', whole, '--', ...folderOnly(repository)], listing),
    look(repository, ['ls-files', '--stage', '-z', '--', ...folderOnly(repository)], { ...listing, environment })
  ])
  const pathOf = (entry: string): string => entry.slice(entry.indexOf('\t') + 1)
  const entries = recordsOf(staged.stdout)
  const kept = new Set(entries.map(pathOf))
  const gone = recordsOf(committed.stdout).map(pathOf).filter((path) => !kept.has(path))
  const nothing = '0'.repeat(whole.length)
  // Removals first, because a file may have become a folder.
  return [...gone.map((path) => `0 ${nothing}\t${path}`), ...entries].map((entry) => `${entry}\0`).join('')
}

function nothingToCommit (why: string): Invalid {
  return new Invalid(`${why}, so there is nothing to commit`, 'nothing_to_commit')
}
