import { setDefault } from '../models/choosing.js'
import { ModelPicker } from '../models/ModelPicker.js'

/** After a key that works: which model answers. */
export function PickDefault ({ onClose }: { onClose: () => void }) {
  return <ModelPicker open onClose={onClose} onPick={(model, provider) => { void setDefault({ model, provider }) }} />
}
