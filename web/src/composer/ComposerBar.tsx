import { type Opened } from '../conversation/opened.js'
import { BarControls } from './BarControls.js'
import { BoxDialogs } from './BoxDialogs.js'

/** Below the box: what answers, in which folder, and how much of its memory and of the purse is used. */
export function ComposerBar ({ opened }: { opened: Opened }) {
  return (
    <>
      <BarControls opened={opened} />
      <BoxDialogs opened={opened} />
    </>
  )
}
