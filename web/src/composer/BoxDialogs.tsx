import { useEffect } from 'preact/hooks'
import { type Opened } from '../conversation/opened.js'
import { lazy } from '../ui/lazy.js'
import { boxDialog } from './dialogs.js'

const OpenDialog = lazy(async () => (await import('./OpenDialog.js')).OpenDialog, { waiting: null })

/** Shows the dialog that the composer has opened. */
export function BoxDialogs ({ opened }: { opened: Opened }) {
  useEffect(() => () => { boxDialog.value = null }, [opened])
  const dialog = boxDialog.value
  return dialog === null ? null : <OpenDialog dialog={dialog} opened={opened} />
}
