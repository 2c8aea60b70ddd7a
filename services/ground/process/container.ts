import { existsSync } from 'node:fs'

/** Whether this process runs in a container of Docker's or Podman's. */
export const inContainer = (): boolean => existsSync('/.dockerenv') || existsSync('/run/.containerenv')
