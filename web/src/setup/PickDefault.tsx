import { setDefault } from '../models/choosing.js'
import { ModelPicker } from '../models/ModelPicker.js'

/** Chooses the default model after a key was accepted. */
export function PickDefault ({ onClose }: { onClose: () => void }) {
  return <ModelPicker open onClose={onClose} onPick={(model, provider) => { void setDefault({ model, provider }) }} />
}
