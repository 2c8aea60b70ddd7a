import { useState } from 'preact/hooks'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { words } from '../words/index.js'

/** Asks before something that cannot be undone. `onConfirm` shows its own errors; the dialog closes either way. */
export function Confirm ({ title, note, action, onConfirm, onClose }: {
  title: string
  note: string
  action: string
  onConfirm: () => Promise<void>
  onClose: () => void
}) {
  const [isBusy, setBusy] = useState(false)
  const confirm = async (): Promise<void> => {
    setBusy(true)
    await onConfirm()
    onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>{words.value.common.cancel}</Button>
      <Button kind='danger' busy={isBusy} onClick={() => { void confirm() }}>{action}</Button>
    </>
  )
  return <Dialog open onClose={onClose} title={title} size='small' actions={actions}><p>{note}</p></Dialog>
}
