import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { realPath } from '../../ground/files/containment.js'
import { hostMark, killMarked, markVariable } from '../../ground/process/processes.js'

/**
 * Marks in the environment of a service's processes: which state folder they belong to, which run of the service, which host. Each part
 * ends with a dot, so that no mark is the beginning of another.
 */
export interface Marks {
  /** Common to all services that ever ran on this state folder. */
  folder: string
  /** Of this service alone. */
  service: string
}

export function createMarks (stateDir: string): Marks {
  const folder = `${createHash('sha256').update(realPath(stateDir)).digest('hex').slice(0, 16)}.`
  return { folder, service: `${folder}${randomBytes(6).toString('hex')}.` }
}

/** How long hosts may take to end by themselves before the guardian acts. They need half a second. */
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
 * Starts a small process that outlives this one by a moment. It kills every host and command that is left and whose mark begins with
 * `mark`, even if it is stopped or ignores signals. `path`: where the process finds programs. Returns the function that ends it.
 */
export function startGuardian (mark: string, path: string | undefined): () => void {
  if (process.platform !== 'linux') return () => {}
  // Its own session: signals to the service's process group must not reach it.
  const guardian: ChildProcess = spawn('/bin/sh', ['-c', script, 'agent-guardian', mark], {
    cwd: '/', env: { PATH: path }, detached: true, stdio: ['pipe', 'ignore', 'ignore']
  })
  guardian.on('error', () => {}) // without it, what is left is found at the next start
  guardian.stdin?.on('error', () => {})
  guardian.unref()
  if (guardian.stdin instanceof Socket) guardian.stdin.unref()
  return () => guardian.stdin?.destroy()
}

/** Kills the hosts, and the commands outside the sandbox, that earlier services on this state folder left, unless `isSpared` says no. */
export async function killLeftovers ({ folder, service }: Marks, isSpared: (mark: string) => boolean): Promise<number> {
  return await killMarked(folder, (mark) => mark.startsWith(service) || isSpared(mark))
}
