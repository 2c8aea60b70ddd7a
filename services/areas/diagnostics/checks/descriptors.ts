import { readdir, readFile } from 'node:fs/promises'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'

const least = 1_024
const [much, tooMuch] = [0.7, 0.9]

/** The open files of this process, compared with its limit. */
export function descriptorsCheck (): Check {
  return {
    id: 'open-files',
    group: 'service',
    title: 'Open files',
    async run () {
      const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
      const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
      if (!Number.isFinite(limit)) return skipped('This system does not say how many files may be open.')
      return judgeDescriptors({ open: (await readdir('/proc/self/fd')).length, limit })
    }
  }
}

export function judgeDescriptors ({ open, limit }: { open: number, limit: number }): Finding {
  const words = `${open} files and connections are open, of ${limit} at most.`
  const fix = 'Raise the limit, in its systemd unit, in docker-compose.yml or in the shell that starts it:\n' +
    'LimitNOFILE=65536\nulimits: { nofile: 65536 }\nulimit -n 65536'
  const found = open >= limit * tooMuch ? problem(words, fix) : open >= limit * much || limit < least ? warning(words, fix) : ok(words)
  return coded(found, 'open_files', { open, limit })
}
