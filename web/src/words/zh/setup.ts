import { type Words } from '../en/index.js'

export const setup: Words['setup'] = {
  title: '连接模型',
  note: '在此之前由内置演示回答：它只认识几个固定的词，不调用任何模型。',
  key: '粘贴密钥',
  keyHint: 'OpenAI、Anthropic、Google 或 OpenRouter 的密钥。它只保存在服务器上。',
  recognised: (name) => `看起来是 ${name} 的密钥。`,
  keyTooShort: '密钥是一行文字，至少 8 个字符。',
  provider: '这是谁的密钥？',
  connect: '测试并继续',
  works: (name) => `${name} 可以使用。请选择模型。`,
  choose: '选择模型',
  found: (name) => `${name} 正在本机运行`,
  use: '使用',
  usesNow: (model) => `从现在起由 ${model} 回答。`,
  noModels: '它还没有模型，请先在那里加载一个。',
  others: '全部提供商',
  later: '以后再说',
  put: '卡片已收起。可以在“模型”中设置。',
  saveAnyway: '仍然保存',
  hello: '想做点什么？',
  examples: ['看看这个文件夹里有什么，是做什么用的。', '为一个小网页写个简短的计划，然后问我要改什么。', '你在这里能做什么？哪些事会先问我？'],
  demoExamples: ['help', 'list', 'write hello.txt: 你好！', 'ask me 哪种颜色？ 红|绿']
}
