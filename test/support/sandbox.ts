import { findSandbox, type SandboxStatus } from '../../services/agent/index.js'

const found = new Map<string, Promise<SandboxStatus>>()

/**
 * Returns what findSandbox finds with the PATH of an environment, tried once in this process: a sandbox that works keeps working, and each
 * attempt starts three programs.
 */
export async function foundSandbox (env: { PATH?: string, HOME?: string }): Promise<SandboxStatus> {
  const path = env.PATH ?? ''
  const known = await found.get(path)
  if (known?.available === true) return known
  const status = findSandbox(env)
  found.set(path, status)
  return await status
}
