import { Dialog } from '../ui/Dialog.js'
import { screenWords } from '../words/index.js'
import { ShortcutList } from './ShortcutList.js'

/** Lists every shortcut. */
export function Shortcuts ({ onClose }: { onClose: () => void }) {
  const w = screenWords.value.palette
  return (
    <Dialog open onClose={onClose} title={w.shortcuts}>
      <ShortcutList />
      <p class='shortcuts-note'>{w.keysNote}</p>
    </Dialog>
  )
}
