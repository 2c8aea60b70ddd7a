import { controlKey, shortcuts } from '../core/screen/shortcuts.js'
import { Dialog } from '../ui/Dialog.js'
import { screenWords } from '../words/index.js'
import './palette.css'

/** Lists every shortcut, from the table that is listened to. */
export function Shortcuts ({ onClose }: { onClose: () => void }) {
  const w = screenWords.value.palette
  return (
    <Dialog open onClose={onClose} title={w.shortcuts}>
      <dl class='shortcuts'>
        {shortcuts.map(
          ({ id, key, withControl }) => [
            <dt key={`${id} ${key} name`}>{w.keys[id]}</dt>,
            <dd key={`${id} ${key}`}><kbd>{withControl === true ? `${controlKey} ${key.toUpperCase()}` : key}</kbd></dd>
          ]
        )}
      </dl>
      <p class='shortcuts-note'>{w.keysNote}</p>
    </Dialog>
  )
}
