import { readFileSync } from 'node:fs'
import { capture } from './capture.js'
import { supervisorOf, type Surroundings } from './supervisor.js'

/** Nobody waits longer for a stop because systemd does not answer. */
const askedWithinMs = 1_000
const mostBytes = 64 * 1_024

/**
 * Whether systemd stops this service only to start it again, and leaves what its unit has at work: then turns need not end. False also
 * where that cannot be found out at once. `cgroups`: where this process belongs, as the kernel tells it.
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

/** The service that a process belongs to, of the system or of a user. */
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
