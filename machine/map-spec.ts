import { type RunSpec } from '../services/agent/protocol.js'
import { type NatsLink } from '../services/ground/nats/link.js'
import { attachmentFolder } from '../services/workspace/index.js'
import { fetchUpload, plainName } from './uploads.js'

export interface MapSpecOptions {
  link: NatsLink
  /** The name of this machine. */
  machine: string
  stateDir: string
  /** Throws if the workspace is in none of the folders that this machine opens. */
  assertOpen: (workspace: string) => void
}

/**
 * Prepares a spec for a host process of this machine: fetches uploads of its conversations that are not here yet, and maps its places to
 * folders of this machine. Throws if an upload cannot be fetched, and for a workspace that is not opened here.
 */
export function createMapSpec ({ link, machine, stateDir, assertOpen }: MapSpecOptions): (spec: RunSpec) => Promise<RunSpec> {
  return async ({ uploads = { root: '', places: {} }, ...spec }) => {
    const { workspace } = spec.places
    assertOpen(workspace)
    const { root } = uploads
    const placed = Object.entries(uploads.places)
    for (const [place, { session, files }] of placed) {
      if (place === 'workspace' || !plainName(session)) throw new Error('This is no place of uploads')
      for (const {
        name, size, object
      } of files) if (object !== undefined) await fetchUpload({ link, machine, stateDir }, { session, name, size }, object)
    }
    // Earlier messages name files by their paths on the service's machine.
    const here = (text: string): string => root.length < 2 ? text : text.replaceAll(`${root}/`, `${attachmentFolder(stateDir, '')}/`)
    return {
      ...spec,
      places: { workspace, ...Object.fromEntries(placed.map(([place, { session }]) => [place, attachmentFolder(stateDir, session)])) },
      history: spec.history.map((message) => message.role !== 'user'
        ? message
        : { ...message, content: message.content.map((part) => part.type === 'text' ? { ...part, text: here(part.text) } : part) }),
      input: spec.input === null ? null : { ...spec.input, text: here(spec.input.text) }
    }
  }
}
