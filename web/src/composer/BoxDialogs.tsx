import { useEffect } from 'preact/hooks'
import { type OpenChat } from '../conversation/open-chat.js'
import { lazy } from '../ui/lazy.js'
import { boxDialog } from './dialogs.js'

const OpenDialog = lazy(async () => (await import('./OpenDialog.js')).OpenDialog, { waiting: null })

/** Shows the dialog that the composer has opened. */
export function BoxDialogs ({ opened }: { opened: OpenChat }) {
  useEffect(() => () => { boxDialog.value = null }, [opened])
  const dialog = boxDialog.value
  return dialog === null ? null : <OpenDialog dialog={dialog} opened={opened} />
}
