import git from 'isomorphic-git'
import { DomainError, Invalid } from '../../../ground/errors.js'
import { needsGit } from './limits.js'
import { branches, changesToDescribe, diff, info, log, show, stashes, status, storedFile } from './reads.js'
import { openPlain, type PlainRepository } from './repository.js'
import { commit, stage, unstage } from './writes.js'

declare module '../../../ground/workers/index.js' {
  interface Tasks { embeddedGit: typeof embeddedGit }
}

const operations = { branches, changesToDescribe, commit, diff, info, log, show, stage, stashes, status, stored: storedFile, unstage }
type Operations = typeof operations
export type Operation = keyof Operations
type Rest<T> = T extends (repository: PlainRepository, ...rest: infer R) => unknown ? R : never
export type OperationInput<Name extends Operation> = Rest<Operations[Name]>
export type OperationResult<Name extends Operation> = Awaited<ReturnType<Operations[Name]>>

export interface EmbeddedOrder { folder: string, closed: readonly string[], operation: Operation, rest: readonly unknown[] }

/** Runs one operation of the embedded engine in a worker thread, because it may compute for several seconds. */
export async function embeddedGit ({ folder, closed, operation, rest }: EmbeddedOrder): Promise<unknown> {
  try {
    const repository = await openPlain(folder, closed)
    return await (operations[operation] as (repository: PlainRepository, ...rest: unknown[]) => Promise<unknown>)(repository, ...rest)
  } catch (error) {
    if (error instanceof DomainError) throw error
    if (error instanceof git.Errors.UnmergedPathsError) throw new Invalid('There are conflicts. Resolve them first', 'conflict')
    // The engine failed on an unknown storage format, or on damage that git itself would name.
    throw needsGit('what is in this repository')
  }
}
