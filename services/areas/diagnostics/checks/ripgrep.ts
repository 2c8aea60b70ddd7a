import { isPublished } from '../../../ground/command-line.js'
import { capture } from '../../../ground/process/capture.js'
import { findRipgrep } from '../../../ground/process/ripgrep.js'
import { codeOf } from '../../../ground/errors.js'
import { type Check, coded, ok, problem } from '../check.js'

/** Starts the program that searches files. */
export function ripgrepCheck ({ PATH = '' }: { PATH?: string }, program = findRipgrep()): Check {
  return {
    id: 'ripgrep',
    group: 'agent',
    title: 'Search in files',
    async run (signal) {
      const fix = `${isPublished ? 'Install ripgrep:' : 'Install its packages again, or ripgrep itself:\nnpm ci'}\nsudo apt-get install ripgrep`
      try {
        const { exitCode, stdout } = await capture(program, ['--version'], { cwd: '/', env: { PATH }, timeoutMs: 4_000, maxOutputBytes: 10_000, signal })
        const version = /\d+(?:\.\d+)+/.exec(stdout.toString())?.[0]
        return exitCode === 0 && version !== undefined
          ? coded(ok(`ripgrep ${version} works.`), 'ripgrep_works', { version })
          : problem(`ripgrep does not work: it ended with code ${exitCode ?? 'none'}. The agent cannot search files.`, fix)
      } catch (error) {
        return problem(`ripgrep cannot be started (${codeOf(error) ?? 'unknown error'}). The agent cannot search files.`, fix)
      }
    }
  }
}
