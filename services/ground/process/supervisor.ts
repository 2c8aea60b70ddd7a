import { inContainer as isInContainer } from './container.js'

/** Who watches over a process and starts it again. */
export type Supervisor = 'systemd' | 'launchd' | 'container' | 'pm2' | 'supervisord'

/** What the service is called where it is installed as one of systemd's or launchd's. */
export const serviceName = 'agent-web-service'

export interface Surroundings { env: NodeJS.ProcessEnv, pid?: number, parent?: number, inContainer?: boolean }

/** What is above this process; null: nobody that would start it again. Pure, where all is given. */
export function supervisorOf ({
  env, pid = process.pid, parent = process.ppid, inContainer = isInContainer()
}: Surroundings): Supervisor | null {
  // `npm start` lies between the two.
  if (env.SYSTEMD_EXEC_PID !== undefined && [pid, parent].includes(Number(env.SYSTEMD_EXEC_PID))) return 'systemd'
  if (env.XPC_SERVICE_NAME === serviceName) return 'launchd'
  if (pid === 1 || (inContainer && parent === 1)) return 'container'
  if (env.pm_id !== undefined) return 'pm2'
  return env.SUPERVISOR_ENABLED === undefined ? null : 'supervisord'
}
