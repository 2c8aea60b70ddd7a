import { type PlacedSpec } from '../engines/engine.js'
import { type RunSpec } from '../protocol.js'

/** Returns a spec whose places are folders of this machine. They already are, because a spec is made for the machine that runs it. */
export function placedSpec (spec: RunSpec): PlacedSpec {
  const { workspace, ...readable } = spec.places
  return { ...spec, workspace, readable: Object.values(readable) }
}
