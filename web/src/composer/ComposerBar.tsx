import { type Opened } from '../conversation/opened.js'
import { lazy } from '../ui/lazy.js'
import { BoxDialogs } from './BoxDialogs.js'

const BarControls = lazy(async () => (await import('./BarControls.js')).BarControls, { waiting: <span class='composer-facts' />, missing: () => <span class='composer-facts' /> })

/** Below the box: what answers, in which folder, and how much of its memory and of the purse is used. Loaded after the box itself. */
export function ComposerBar ({ opened }: { opened: Opened }) {
  return (
    <>
      <BarControls opened={opened} />
      <BoxDialogs opened={opened} />
    </>
  )
}
