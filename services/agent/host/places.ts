import { type PlacedSpec } from '../engines/engine.js'
import { type RunSpec } from '../protocol.js'

/**
 * A spec with its places as folders of this machine, which they are already where host and web tier share one. A host on
 * another machine would say here where it has them.
 */
export function placed (spec: RunSpec): PlacedSpec {
  const { workspace, ...readable } = spec.places
  return { ...spec, workspace, readable: Object.values(readable) }
}
