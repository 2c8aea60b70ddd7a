import { inContainer as isInContainer } from './container.js'

/** The program that watches over a process and restarts it. */
export type Supervisor = 'systemd' | 'launchd' | 'container' | 'pm2' | 'supervisord'

/** The service's name if it is installed with systemd or launchd. */
export const serviceName = 'agent-web-service'

export interface Surroundings { env: NodeJS.ProcessEnv, pid?: number, parent?: number, inContainer?: boolean }

/** Returns the supervisor of this process; null if nothing would restart it. Pure if all options are given. */
export function supervisorOf ({
  env, pid = process.pid, parent = process.ppid, inContainer = isInContainer()
}: Surroundings): Supervisor | null {
  // `npm start` may be between systemd and this process.
  if (env.SYSTEMD_EXEC_PID !== undefined && [pid, parent].includes(Number(env.SYSTEMD_EXEC_PID))) return 'systemd'
  if (env.XPC_SERVICE_NAME === serviceName) return 'launchd'
  if (pid === 1 || (inContainer && parent === 1)) return 'container'
  if (env.pm_id !== undefined) return 'pm2'
  return env.SUPERVISOR_ENABLED === undefined ? null : 'supervisord'
}
