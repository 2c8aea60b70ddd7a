import { buffer } from 'node:stream/consumers'
import { type Workers } from '../../ground/workers/index.js'
import { entryName, linesOf, readUpTo } from '../../workspace/files/index.js'
import { openFile } from '../../workspace/place/place.js'
import { skillLimits } from './folder-digest.js'
import { folderOf, type FoundSkill } from './scan.js'

/** The earliest moment that a zip file can state. */
const never = new Date('1980-01-01T00:00:00Z')

/**
 * Returns skills as a zip archive with a folder for each, named after the skill. The same files always make the same bytes: sorted,
 * not compressed, without times, and with no more of the modes than whether a file is executable. Links that lead out of a skill are left
 * out. Throws TooLarge above `skillLimits`.
 */
export async function zippedSkills (skills: readonly FoundSkill[], workers: Pick<Workers, 'run'>): Promise<Buffer> {
  const { ZipArchive } = await import('archiver')
  const archive = new ZipArchive({ store: true })
  const bytes = buffer(archive)
  for (const skill of skills.toSorted((one, other) => one.name < other.name ? -1 : 1)) {
    const territory = { root: folderOf(skill), closed: [] }
    const { entries } = await workers.run('walkFolder', { territory, path: '.', limits: skillLimits })
    for (const [path, mode, , sizeBytes] of [...linesOf(entries)].sort(([one], [other]) => one < other ? -1 : 1)) {
      if (sizeBytes === null) continue
      const { handle } = await openFile(territory, path)
      try {
        archive.append(await readUpTo(handle, skillLimits.bytes), {
          name: `${skill.name}/${entryName(path)}`, date: never, mode: (mode & 0o111) === 0 ? 0o644 : 0o755
        })
      } finally {
        await handle.close()
      }
    }
  }
  await archive.finalize()
  return await bytes
}
