import { table } from '../../ground/lookup-table.js'
import { type Maker } from './maker.js'
import { claudeCode } from './makers/claude-code.js'
import { codex } from './makers/codex.js'
import { geminiCli } from './makers/gemini-cli.js'
import { openCode } from './makers/opencode.js'
import { type Store } from './store.js'
import { type ForeignRow } from './tally.js'

/** To add a front end, add a file in makers/, a line here, and its name in the columns `source`. */
export const makers = table<Maker, ForeignRow['source']>({ claude_code: claudeCode, codex, gemini_cli: geminiCli, opencode: openCode })

export type Stores = Readonly<Record<ForeignRow['source'], Store>>
