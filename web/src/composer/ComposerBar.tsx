import { type OpenChat } from '../conversation/open-chat.js'
import { BarControls } from './BarControls.js'
import { BoxDialogs } from './BoxDialogs.js'

/** The bar below the box: model, folder, and the use of the context and the budget. */
export function ComposerBar ({ opened }: { opened: OpenChat }) {
  return (
    <>
      <BarControls opened={opened} />
      <BoxDialogs opened={opened} />
    </>
  )
}
