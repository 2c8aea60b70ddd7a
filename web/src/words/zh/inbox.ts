import { type Words } from '../en/index.js'

export const inbox: Words['inbox'] = {
  keys: (down, up) => ['用 ', down, ' 和 ', up, ' 逐项查看。'],
  limits: '限额已用完',
  empty: '没有等你处理的事',
  emptyText: '不论在哪个对话里，只要智能体需要你的许可或有问题要问，都会列在这里，直到你回答。',
  example: '让智能体问我一个问题',
  exampleMessage: 'ask me 喝茶还是咖啡？ 茶 | 咖啡'
}
