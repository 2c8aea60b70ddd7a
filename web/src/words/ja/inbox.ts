import { type Words } from '../en/index.js'

export const inbox: Words['inbox'] = {
  keys: (down, up) => [down, ' と ', up, ' で移動できます。'],
  limits: '制限中',
  empty: 'あなたを待っているものはありません',
  emptyText: 'どのチャットでも、エージェントが許可を求めたり質問したりすると、回答するまでここに表示されます。',
  example: 'エージェントに質問してもらう',
  exampleMessage: 'ask me 紅茶とコーヒー、どちらにしますか? 紅茶 | コーヒー'
}
