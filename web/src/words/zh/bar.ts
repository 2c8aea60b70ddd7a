import { type Words } from '../en/index.js'

const compact = new Intl.NumberFormat('zh-CN', { notation: 'compact', maximumFractionDigits: 1 })

export const bar: Words['bar'] = {
  effortTitle: '思考强度',
  effort: (effort) => ({ '': '默认强度', none: '不思考', minimal: '极低', low: '低', medium: '中', high: '高', xhigh: '很高', max: '最高' }[effort] ?? effort),
  effortSet: (effort) => `思考强度：${effort}`,
  personality: '个性',
  noPersonality: '无个性',
  personalitySet: (name) => `个性：${name}`,
  scopes: { turn: '单轮', session: '单个对话', day: '单日' },
  usd: (amount) => `$${amount > 0 && amount < 0.1 ? amount.toFixed(4) : amount.toFixed(2)}`,
  short: (count) => compact.format(count)
}
