import { type Opened } from '../conversation/opened.js'
import { BarControls } from './BarControls.js'
import { BoxDialogs } from './BoxDialogs.js'

/** The bar below the box: model, folder, and the use of the context and the budget. */
export function ComposerBar ({ opened }: { opened: Opened }) {
  return (
    <>
      <BarControls opened={opened} />
      <BoxDialogs opened={opened} />
    </>
  )
}
