import { existsSync, readFileSync } from 'node:fs'
import { tried } from '../tried.js'

/** Whether this process runs in a container of Docker's, Podman's or Kubernetes', or one that names itself to its first process. */
export const inContainer = (): boolean =>
  ['/.dockerenv', '/run/.containerenv', '/var/run/secrets/kubernetes.io'].some((path) => existsSync(path)) ||
  /(?:^|\0)(?:container|KUBERNETES_SERVICE_HOST)=[^\0]/.test(environmentOfFirst())

/** Of the first process of the system or container; empty where it is another user's, as outside of a container. */
const environmentOfFirst = (): string => tried(() => readFileSync('/proc/1/environ', 'latin1'), '')
