import { type Words } from '../en/index.js'

export const ui: Words['ui'] = {
  working: '正在处理',
  showAll: (lines) => `显示全部 ${lines.toLocaleString('zh')} 行`,
  showLess: '收起',
  screenFailed: '这个界面出错了，请重新加载。对话中输入的内容会保留。',
  partMissing: '应用的这一部分没能加载。',
  partOfBefore: '应用有新版本，重新加载后即可继续。对话中输入的内容会保留。',
  notifications: '应用消息',
  dismiss: '关闭通知',
  resize: '调整宽度',
  optional: '可不填',
  context: (percent) => `上下文已用 ${percent}%`,
  copyFailed: '没能复制，请选中文字自行复制。',
  asTable: '以表格查看'
}
