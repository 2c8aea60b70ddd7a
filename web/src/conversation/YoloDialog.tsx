import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { screenWords } from '../words/index.js'

/** Explains what it means to run without asking for permission, before it is turned on. */
export function YoloDialog ({ onConfirm, onClose }: { onConfirm: () => void, onClose: () => void }) {
  const w = screenWords.value.chat.yoloStep
  return (
    <Dialog
      open onClose={onClose} title={w.title} size='small'
      actions={(
        <>
          <Button autofocus onClick={onClose}>{w.back}</Button>
          <Button kind='danger' onClick={() => { onClose(); onConfirm() }}>{w.confirm}</Button>
        </>
      )}
    >
      <p>{w.means}</p>
      <ul>{w.facts.map((fact) => <li key={fact}>{fact}</li>)}</ul>
    </Dialog>
  )
}
