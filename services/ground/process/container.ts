import { existsSync, readFileSync } from 'node:fs'
import { tried } from '../tried.js'

/**
 * Whether this process runs in a container of Docker, Podman or Kubernetes, or in one that names itself in the environment of its first
 * process.
 */
export const inContainer = (): boolean =>
  ['/.dockerenv', '/run/.containerenv', '/var/run/secrets/kubernetes.io'].some((path) => existsSync(path)) ||
  /(?:^|\0)(?:container|KUBERNETES_SERVICE_HOST)=[^\0]/.test(environmentOfFirst())

/**
 * Returns the environment of the system's or container's first process; empty if that belongs to another user, as outside of a container.
 */
const environmentOfFirst = (): string => tried(() => readFileSync('/proc/1/environ', 'latin1'), '')
