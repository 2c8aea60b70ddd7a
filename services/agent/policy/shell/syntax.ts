import { forEachChild, type Function, type SyntaxNode } from 'unbash'
import { type Budget } from '../budget.js'

/** What the syntax of a command line costs to go through, and what it shows before anything in it is read as a command. */

/** How many parentheses stand open at most, quoted or not: what that is is seen before it is parsed. */
export function openParentheses (text: string): number {
  let open = 0
  let most = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === 0x28) most = Math.max(most, ++open)
    else if (character === 0x29 && open > 0) open--
  }
  return most
}

/** Words and expansions are parsed when they are come to: one inside another is gone through once for each level. Throws Unfinished. */
export function payFor (node: SyntaxNode, budget: Budget): void {
  if (node.type === 'Word') budget.open(node.text)
  else if (node.type === 'Command' && node.name !== undefined) budget.open(node.name.text)
  else budget.spend(1 + ((node.end - node.pos) >> (node.type.endsWith('Expansion') ? 2 : 4)))
}

/** Whether a function starts itself more than once each time, without end. Throws Unfinished. */
export function isForkBomb ({ name, body }: Function, budget: Budget): boolean {
  const callsItself = (child: SyntaxNode, multiplied: boolean): boolean => {
    payFor(child, budget)
    if (child.type === 'Command' && child.name?.value === name.value) return multiplied
    let found = false
    const inside = multiplied || child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true)
    forEachChild(child, (grandchild) => { found ||= callsItself(grandchild, inside) })
    return found
  }
  return callsItself(body, false)
}
