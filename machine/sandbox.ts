import { findContainerBoundary, findSandbox, type SandboxStatus } from '../services/agent/index.js'

/** Returns a function that determines how commands on this machine are confined. It searches on the first call. */
export function createSandboxHere (env: Record<string, string>): () => Promise<SandboxStatus> {
  const isConfined = !/^(0|false|no|off)$/.test(env['SVC_WEBUI_SANDBOX'] ?? '')
  const find = env['SVC_WEBUI_SANDBOX'] === 'container' ? findContainerBoundary : findSandbox
  let status: Promise<SandboxStatus> | undefined
  return async () => await (status ??= isConfined ? find(env) : Promise.resolve({ available: false, reason: 'it is switched off' }))
}
