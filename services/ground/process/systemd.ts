import { readFileSync } from 'node:fs'
import { capture } from './capture.js'
import { supervisorOf, type Surroundings } from './supervisor.js'

/** How long a stop of the service waits for an answer of systemd at most. */
const askedWithinMs = 1_000
const mostBytes = 64 * 1_024

/**
 * Whether systemd stops this service only to restart it, and leaves the unit's other processes running: turns then need not end. Returns
 * false if that cannot be found out in time. `cgroups` returns the cgroups of this process, as the kernel lists them.
 */
export async function isRestartedBySystemd (
  surroundings: Surroundings, cgroups: () => string = () => readFileSync('/proc/self/cgroup', 'utf8')
): Promise<boolean> {
  if (supervisorOf(surroundings) !== 'systemd') return false
  try {
    const unit = unitIn(cgroups())
    if (unit === null) return false
    const [mode, jobs] = await Promise.all([
      systemctl(surroundings.env, unit, ['show', '--property=KillMode', '--value', unit.name]),
      systemctl(surroundings.env, unit, ['list-jobs', '--plain', '--no-legend', '--full'])
    ])
    return mode.trim() === 'process' && jobs.split('\n').some((job) => {
      const [, name, type] = job.trim().split(/\s+/)
      return name === unit.name && type === 'restart'
    })
  } catch {
    return false
  }
}

interface Unit { name: string, isOfUser: boolean }

/** Returns the systemd service that a process belongs to, of the system or of a user. */
function unitIn (cgroups: string): Unit | null {
  const lines = cgroups.trim().split('\n').map((line) => line.split(':'))
  const [, , ...path] = lines.find(([, kind]) => kind === 'name=systemd') ?? lines.find(([, kind]) => kind === '') ?? []
  const names = path.join(':').split('/')
  const name = names.at(-1) ?? ''
  return name.endsWith('.service') ? { name, isOfUser: names.some((each) => /^user@\d+\.service$/.test(each)) } : null
}

async function systemctl (
  { PATH, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS }: NodeJS.ProcessEnv, { isOfUser }: Unit, args: string[]
): Promise<string> {
  const { stdout, exitCode } = await capture('systemctl', [...(isOfUser ? ['--user'] : []), ...args], {
    cwd: '/', env: given({ PATH, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS }), timeoutMs: askedWithinMs, maxOutputBytes: mostBytes
  })
  return exitCode === 0 ? stdout.toString() : ''
}

const given = (variables: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))
