import { join } from 'node:path'
import { Invalid } from '../../../ground/errors.js'
import { inScratch } from '../../../ground/files/scratch.js'
import { type Change } from './changes.js'
import { pathList } from './paths.js'
import { recordsOf } from './records.js'
import { emptyTree, headOf, look, writing, type Repository } from './repository.js'

/**
 * Throws Invalid (`filtered_path`) if one of the files has a filter program, for storing or for checking out. This service does not run
 * filters, so a commit would contain unfiltered contents, and a git-lfs file would stay a pointer.
 */
export async function refuseFiltered (repository: Repository, changes: readonly Change[]): Promise<void> {
  await refuseFiles(repository, changes.map(({ path }) => path), {})
}

/**
 * Like refuseFiltered, for the files that moving from HEAD to a commit would write into the work tree. The attributes in that commit
 * count, as they do for git.
 */
export async function refuseFilteredMove (repository: Repository, target: string): Promise<void> {
  if (repository.off.filters.size === 0) return
  const from = await headOf(repository) ?? await emptyTree(repository)
  const files = recordsOf(
    (await look(repository, ['diff', '--name-only', '-z', '--no-renames', '--diff-filter=d', from, target, '--'], writing)).stdout
  )
  if (files.length === 0) return
  await inScratch('git', async (scratch) => {
    const environment = { GIT_INDEX_FILE: join(scratch, 'index') }
    await look(repository, ['read-tree', target], { ...writing, environment })
    await refuseFiles(repository, files, { environment })
  })
}

/** Uses the attributes in the work tree, or with `environment` those in the index that it names. */
async function refuseFiles (
  repository: Repository, files: readonly string[], { environment }: { environment?: Record<string, string> }
): Promise<void> {
  const { filters } = repository.off
  if (filters.size === 0 || files.length === 0) return
  const { stdout } = await look(repository, ['check-attr', ...environment === undefined ? [] : ['--cached'], '--stdin', '-z', 'filter'], {
    ...writing, input: pathList(files), ...environment === undefined ? {} : { environment }
  })
  const records = recordsOf(stdout)
  const at = records.findIndex((record, index) => index % 3 === 2 && filters.has(record))
  if (at === -1) return
  throw new Invalid(`The contents of ${records[at - 2]?.split('/').at(-1) ?? 'a file'} pass through the filter "${records[at]}", which this service does not run. Use git in a terminal`, 'filtered_path')
}
