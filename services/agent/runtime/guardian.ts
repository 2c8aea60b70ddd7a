import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { realPath } from '../../ground/containment.js'
import { hostMark, killMarked, markVariable } from '../../ground/process/processes.js'

/**
 * What the processes of one service are marked with in their environment: which state folder they belong to, which run of
 * the service, which host. Each part ends with a dot, so that one is never the beginning of another.
 */
export interface Marks {
  /** Of every service that ever ran on this state folder. */
  folder: string
  /** Of this one. */
  service: string
}

export function createMarks (stateDir: string): Marks {
  const folder = `${createHash('sha256').update(realPath(stateDir)).digest('hex').slice(0, 16)}.`
  return { folder, service: `${folder}${randomBytes(6).toString('hex')}.` }
}

/** How long hosts have to end by themselves before the guardian acts; they need half a second. */
const graceS = 2

// Waits for the end of its input, which comes with the end of the service, whatever ended it.
const script = `while read -r line; do :; done
sleep ${graceS}
for round in 1 2 3 4 5 6 7 8 9 10; do
  found=$(grep -las "${markVariable}=$1" /proc/[0-9]*/environ)
  [ -z "$found" ] && exit 0
  for file in $found; do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    # A command has a process group of its own: who is in it belongs to it, with a mark or without. A host is in the service's.
    if ! grep -qas "${markVariable}=[0-9a-f.]*${hostMark}" "$file"; then
      stat=$(cat "/proc/$pid/stat" 2>/dev/null)
      set -- "$1" \${stat##*) }
      [ "\${4:-0}" -gt 1 ] && kill -KILL "-$4" 2>/dev/null
    fi
    kill -KILL "$pid" 2>/dev/null
  done
  sleep 0.2
done`

/**
 * Starts a small process that outlives this one by a moment: it kills every host and command whose mark begins with `mark` and that is
 * still there, also one that is stopped or does not listen. `path`: where it finds programs. Returns the function that lets it go.
 */
export function startGuardian (mark: string, path: string | undefined): () => void {
  if (process.platform !== 'linux') return () => {}
  // A session of its own: what is sent to the service's process group must not reach it.
  const guardian: ChildProcess = spawn('/bin/sh', ['-c', script, 'agent-guardian', mark], {
    cwd: '/', env: { PATH: path }, detached: true, stdio: ['pipe', 'ignore', 'ignore']
  })
  guardian.on('error', () => {}) // without it, what is left is found at the next start
  guardian.stdin?.on('error', () => {})
  guardian.unref()
  if (guardian.stdin instanceof Socket) guardian.stdin.unref()
  return () => guardian.stdin?.destroy()
}

/** Kills what services before this one have left on the same state folder, unless it is spared: hosts, and commands outside the sandbox. */
export async function killLeftovers ({ folder, service }: Marks, isSpared: (mark: string) => boolean): Promise<number> {
  return await killMarked(folder, (mark) => mark.startsWith(service) || isSpared(mark))
}
