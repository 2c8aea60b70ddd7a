import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { once } from '../../../services/ground/concurrency/once.js'
import { startEndpoint, startService } from '../../processes.js'
import { call, type Answer } from '../../wire.js'

export interface Served {
  /** The service's home, which contains the folder `workspace`. */
  home: string
  ask (method: string, path: string, body?: unknown): Promise<Answer>
}

/** Starts a service for a part, with its first case. */
export function serviceOf (folder: string, onEnd: (end: () => Promise<void>) => void): () => Promise<Served> {
  const opened = once(async () => {
    const home = mkdtempSync(join(folder, 'service-'))
    const endpoint = await startEndpoint(0)
    const service = await startService({ home, modelUrl: endpoint.url, variables: { SVC_WEBUI_SANDBOX: '0' } })
    return {
      served: { home, ask: async (method: string, path: string, body?: unknown) => await call(service.url + path, method, body) },
      async stop () {
        await service.stop()
        endpoint.stop()
      }
    }
  })
  onEnd(async () => { await (await opened.begun())?.stop() })
  return async () => (await opened()).served
}
