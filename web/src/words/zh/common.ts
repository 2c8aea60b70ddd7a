import { type Words } from '../en/index.js'

export const common: Words['common'] = {
  close: '关闭',
  cancel: '取消',
  retry: '重试',
  save: '保存',
  delete: '删除',
  undo: '撤销',
  copy: '复制',
  copied: '已复制',
  more: '更多',
  loading: '加载中',
  whatToDo: '如何解决（英文）',
  machine: '机器',
  unreachable: '无法连接服务，请稍后再试。',
  failed: (status) => `服务返回了状态 ${status}，请稍后再试。`
}
