// The form of a change of stock, of a sale and of goods: some are added or taken away, or the total is set.
import { t } from '../shared/texts.js';

const ways = ['add', 'take', 'set'];

// stockFields are the fields of the form; help says what setting the total means, which is shown beside it.
export const stockFields =
  (help, first = []) =>
  ({ how }) => [
    ...first,
    { name: 'how', label: t('stock_how'), options: ways.map((way) => [way, t(`stock_${way}`)]), initial: 'add' },
    {
      name: 'units',
      label: t('units'),
      type: 'number',
      step: 1,
      min: 0,
      required: true,
      initial: 0,
      steps: true,
      help: how === 'set' && help,
    },
  ];

// deltaOf is by how much the values of the form change a stock, unless they set it.
export const deltaOf = ({ how, units }) => (how === 'take' ? -1 : 1) * Number(units || 0);

// stockAfter is a stock once the values of the form have changed it. None is less than nothing.
export const stockAfter = (before, values) =>
  values.how === 'set' ? Number(values.units || 0) : Math.max(0, before + deltaOf(values));
