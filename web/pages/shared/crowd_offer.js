// What sends a crowd of buyers into the sale that is shown, for the demo's menu.
export const buyers = 1000;

let offer; // of the sale that is shown

// propose sets what sends a crowd, or that none can be sent.
export const propose = (send) => {
  offer = send;
};

// offered returns what sends a crowd; undefined where none can be.
export const offered = () => offer;
